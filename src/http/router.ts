import createMatcher from 'find-my-way'
import { Problem } from '../contract/problem.ts'
import type { Method, Route } from './exchange.ts'

/** The methods of a route that reads. */
export const READING: readonly Method[] = ['GET', 'HEAD']

export type Router = {
  add(route: Route): void
  /** The route of a request with the decoded parameters of its path; undefined if there is none. Throws INVALID_PATH for malformed percent-encoding. */
  find(method: string, url: string): { route: Route; params: Record<string, string> } | undefined
}

/** A parameter is at most as long as the fields of a request, so that the contract refuses longer values instead of the router. */
const PARAMETER_MAX = 40_000

export function createRouter(): Router {
  const matcher = createMatcher({
    maxParamLength: PARAMETER_MAX,
    // The contract reads queries.
    querystringParser: () => undefined,
    onBadUrl: () => {
      throw new Problem('INVALID_PATH')
    },
  })
  return {
    add(route) {
      const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1')
      matcher.on([...route.methods], path, () => {}, route)
    },
    find(method, url) {
      const found = matcher.find(method as Method, url)
      if (found === null) return undefined
      if (found.store === null) throw new Problem('INVALID_PATH')
      return { route: found.store as Route, params: found.params as Record<string, string> }
    },
  }
}
