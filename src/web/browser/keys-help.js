import { button, make } from './dom.js'
import { keysAreOn, SETTING, storeItem } from './site.js'

const KEYS = [
  ['/', 'Focus the search'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['n', 'Next change'],
  ['p', 'Previous change'],
  ['y', 'Make the address that of the exact revision'],
  ['?', 'Show this help'],
]

/** Shows the keys in a dialog, with the switch that disables them. */
export function showHelp() {
  const box = make('input', { type: 'checkbox', checked: keysAreOn() })
  // Without storage the keys stay on.
  box.addEventListener('change', () => storeItem(SETTING, box.checked ? 'on' : 'off'))
  const dialog = make(
    'dialog',
    { class: 'keys', 'aria-label': 'Keys' },
    make('h2', {}, 'Keys'),
    make(
      'dl',
      {},
      ...KEYS.flatMap(([key = '', text = '']) => [make('dt', {}, make('kbd', {}, key)), make('dd', {}, text)]),
    ),
    make('p', {}, make('label', {}, box, ' Use these keys')),
    make('p', { class: 'small' }, 'They have no effect in fields and together with Ctrl, Alt or Meta.'),
    button('Close', () => dialog.close()),
  )
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}

/** Makes the address of the page that of the exact revision, or comparison. */
export function makeExact() {
  const link = document.querySelector('a[rel=bookmark]')
  if (link instanceof HTMLAnchorElement) history.replaceState(null, '', link.pathname + link.search + location.hash)
}
