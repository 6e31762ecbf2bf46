type Event = { at: number; order: number; run: () => void }

const isBefore = (one: Event, other: Event): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order)

/** Events ordered by time. Events of the same time are in the order in which they were added. A binary heap. */
export class EventQueue {
  readonly #heap: Event[] = []
  #added = 0

  get size(): number {
    return this.#heap.length
  }

  /** The time of the next event; undefined if there is none. */
  get next(): number | undefined {
    return this.#heap[0]?.at
  }

  add(at: number, run: () => void): void {
    const heap = this.#heap
    const event = { at, order: this.#added++, run }
    let place = heap.length
    heap.push(event)
    while (place > 0) {
      const parent = (place - 1) >> 1
      const above = heap[parent] as Event
      if (!isBefore(event, above)) break
      heap[place] = above
      place = parent
    }
    heap[place] = event
  }

  /** Removes the next event. */
  take(): Event | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (last !== undefined && heap.length > 0) this.#sink(last)
    return first
  }

  /** Replaces the first event by an event, and moves it below all earlier events. */
  #sink(event: Event): void {
    const heap = this.#heap
    let place = 0
    for (;;) {
      let child = 2 * place + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Event, heap[child] as Event)) child++
      if (!isBefore(heap[child] as Event, event)) break
      heap[place] = heap[child] as Event
      place = child
    }
    heap[place] = event
  }
}
