import { call, countCharacters, sendBy, textIn } from './api.js'
import { make, need } from './dom.js'

/** The page that reports abuse. The form has the target. */
const form = need(document, 'form[data-report]', HTMLFormElement)
need(form, 'fieldset', HTMLFieldSetElement).disabled = false
countCharacters(form)
const details = () => textIn(form, 'details').trim()

sendBy(form, {
  send: () =>
    call('POST', '/api/reports', {
      body: {
        targetType: textIn(form, 'targetType'),
        targetId: textIn(form, 'targetId'),
        reason: textIn(form, 'reason'),
        ...(details() === '' ? {} : { details: details() }),
      },
    }),
  done: (/** @type {import('../../contract/resources.ts').ReportReceipt} */ { id, secret }) => {
    const back = make('a', { href: `/entries/${encodeURIComponent(form.dataset.slug ?? '')}` }, 'Back to the entry')
    const receipt = make(
      'p',
      { class: 'notice', role: 'status', tabindex: -1 },
      'The operator has received your report. Its id is ',
      make('code', {}, id),
      ' and its secret ',
      make('code', {}, secret),
      '. With both you ',
      make('a', { href: '/decisions' }, 'read the outcome'),
      '. The secret is not shown again. ',
      back,
    )
    form.replaceWith(receipt)
    receipt.focus()
  },
})
