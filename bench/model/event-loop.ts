import type { Thread } from './processor.ts'
import type { Simulation } from './simulation.ts'

/** A message to an event loop: a function that computes its cost when its turn comes, and the action after it. */
export type Message = { cost: () => number; done: () => void }

/**
 * A thread with an event loop. In each turn it handles all messages that have arrived since the previous turn. A turn has its own cost, and
 * an additional cost if the loop was idle before it. An idle loop wakes up `wake` microseconds after a message.
 */
export class EventLoop {
  /** Called at the end of each turn. */
  onTurnEnd: () => void = () => {}
  readonly #simulation: Simulation
  readonly #thread: Thread
  readonly #costs: { turn: number; idle: number }
  #inbox: Message[] = []
  #isAwake = false

  constructor(simulation: Simulation, thread: Thread, costs: { turn: number; idle: number }) {
    this.#simulation = simulation
    this.#thread = thread
    this.#costs = costs
  }

  post(message: Message, wake: number): void {
    this.#inbox.push(message)
    if (this.#isAwake) return
    this.#isAwake = true
    const { turn, idle } = this.#costs
    this.#simulation.after(wake, () => this.#begin(turn + idle))
  }

  #begin(cost: number): void {
    const messages = this.#inbox
    this.#inbox = []
    this.#thread.run(cost, () => this.#handle(messages, 0))
  }

  #handle(messages: readonly Message[], place: number): void {
    const message = messages[place]
    if (message === undefined) {
      this.onTurnEnd()
      if (this.#inbox.length > 0) this.#begin(this.#costs.turn)
      else this.#isAwake = false
      return
    }
    this.#thread.run(message.cost(), () => {
      message.done()
      this.#handle(messages, place + 1)
    })
  }
}
