import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import type { Sql, Transaction } from '../../src/engine/database.ts'
import { transact } from '../../src/engine/sqlite.ts'
import { type Command, createWorks } from '../../src/memory/commands.ts'
import { findEntry } from '../../src/memory/entries/rows.ts'
import { standingOn } from '../../src/memory/evidence/standing.ts'
import { openEmbedded } from './bare-store.ts'

export type PreparedWorld = Awaited<ReturnType<typeof openPreparedWorld>>

/**
 * Operations over an empty store, each of them prepared and then run. `run` also returns the statements of the transaction and its
 * milliseconds before the commit.
 */
export async function openPreparedWorld(t: TestContext) {
  const { connection } = await openEmbedded(t)
  const workOf = createWorks(connection)
  let actors = 0
  const prepare = (name: Command['name'], actor: number | null, body: object, slug = '') => {
    const input = { params: { slug }, body, caller: { requestId: 'r', actor, origin: null } }
    return workOf({ name, input, environment: { at: 1_000, cooldown: 0, dataClass: 'EXTERNAL' } })
  }
  const run = async (work: Awaited<ReturnType<typeof prepare>>) => {
    const statements: string[] = []
    const noted = (statement: Sql): Sql => {
      statements.push(statement.text)
      return statement
    }
    let took = 0
    const answer = await transact(connection, async tx => {
      const watched: Transaction = {
        one: statement => tx.one(noted(statement)),
        all: statement => tx.all(noted(statement)),
        run: statement => tx.run(noted(statement)),
        load: loadable => tx.load(loadable),
        lock: key => tx.lock(key),
      }
      const began = performance.now()
      const done = (await work(watched, 0)) as { body: Entry }
      took = performance.now() - began
      return done
    })
    return { entry: answer.body, statements, took }
  }
  const perform = async (...what: Parameters<typeof prepare>) => run(await prepare(...what))
  return {
    connection,
    prepare,
    run,
    perform,
    async actor(): Promise<number> {
      await perform('createActor', null, {})
      return ++actors
    },
    /** Computes a standing from its records alone. */
    async recomputed(slug: string): Promise<string> {
      const entry = await findEntry(connection, slug)
      assert.ok(entry !== undefined)
      const standing = await standingOn(connection, entry, entry)
      assert.equal(entry.standing, standing === null ? null : JSON.stringify(standing))
      return String(entry.standing)
    },
  }
}

/** The body of a text, of a revision by an author, and of a support. */
export const textOf = (content: string) => ({ title: 'A title', summary: 'A summary.', content })
export const revisionOn = (content: string, { currentRevisionId }: Entry) => ({
  ...{ ...textOf(content), previousRevisionId: currentRevisionId, changeType: 'CORRECT', rationale: 'So' },
})
export const supportOf = ({ currentRevisionId }: Entry) => ({
  ...{ revisionId: currentRevisionId, result: 'SUPPORTED', confidence: 1, rationale: 'Yes' },
})
