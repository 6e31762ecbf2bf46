import type { Awaitable } from '../../database/database.ts'
import { andThen } from '../../operations/awaitable.ts'
import type { Exchange } from '../exchange.ts'
import type { Admitted } from './admission.ts'
import { parseJson, readBody } from './body.ts'

/** Answers requests that are admitted before their body is read. */
export const admitted =
  (
    admit: (exchange: Exchange) => Awaitable<Admitted>,
    answer: (admitted: Admitted, exchange: Exchange) => Awaitable<void>,
  ) =>
  (exchange: Exchange): Awaitable<void> =>
    andThen(admit(exchange), known => {
      if (exchange.method !== 'POST') return answer(known, exchange)
      return andThen(readBody(exchange), bytes => {
        exchange.body = bytes === undefined ? undefined : parseJson(bytes)
        return answer(known, exchange)
      })
    })
