import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Admitted } from './admission.ts'

/** A route whose request is admitted before its body is read. */
export function routeAdmitted(
  app: FastifyInstance,
  route: Pick<RouteOptions, 'method' | 'url' | 'config'>,
  admit: (request: FastifyRequest, reply: FastifyReply) => Promise<Admitted>,
  handle: (admitted: Admitted, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
): void {
  const admitted = new WeakMap<FastifyRequest, Admitted>()
  app.route({
    ...route,
    onRequest: async (request, reply) => {
      admitted.set(request, await admit(request, reply))
    },
    handler: (request, reply) => {
      const known = admitted.get(request)
      if (known === undefined) throw new Error('The request was not admitted.')
      return handle(known, request, reply)
    },
  })
}
