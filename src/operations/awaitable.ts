import type { Awaitable } from '../database/database.ts'

/** Calls `next` with a value: synchronously if the value is not a promise, otherwise when the promise resolves. */
export const andThen = <T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> =>
  value instanceof Promise ? value.then(next) : next(value)
