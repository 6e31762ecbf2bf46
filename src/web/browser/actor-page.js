import { actorPanel } from './actor-panel.js'

actorPanel(document.querySelector('[data-actor]'))
