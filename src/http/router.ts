import createMatcher from 'find-my-way'
import { Problem } from '../contract/problem.ts'
import type { Method, Route } from './exchange.ts'

/** The methods of a route that reads. */
export const READING: readonly Method[] = ['GET', 'HEAD']

export type Router = {
  add(route: Route): void
  /**
   * Returns the route of a request and the decoded parameters of its path; undefined if there is no such route. Throws INVALID_PATH for
   * malformed percent-encoding.
   */
  find(method: string, url: string): { route: Route; params: Record<string, string> } | undefined
}

/**
 * Maximum length of a parameter, in characters. It exceeds the maximum size of request fields, so that the contract, not the router,
 * refuses long values.
 */
const PARAMETER_MAX = 40_000

export function createRouter(): Router {
  const matcher = createMatcher({
    maxParamLength: PARAMETER_MAX,
    // The checks of the contract parse queries.
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
      // To the matcher, a target `*` is a wildcard.
      if (url.startsWith('*')) return undefined
      const found = matcher.find(method as Method, url)
      if (found === null) return undefined
      if (found.store === null) throw new Problem('INVALID_PATH')
      return { route: found.store as Route, params: found.params as Record<string, string> }
    },
  }
}
