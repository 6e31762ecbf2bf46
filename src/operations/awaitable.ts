import type { Awaitable } from '../database/database.ts'

/** Continues with a value: at once if it is known, otherwise when its promise resolves. Steps whose values are known take no promise. */
export const andThen = <T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> =>
  value instanceof Promise ? value.then(next) : next(value)
