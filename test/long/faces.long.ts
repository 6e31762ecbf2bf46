import { test } from 'node:test'
import { takePartThroughAll } from '../faces/every-face.ts'
import { NO_POSTGRES } from '../support/engine.ts'
import { withNodes } from '../support/nodes.ts'
import { startRotation } from '../support/rotation.ts'

test(
  'every interface works with three nodes that read from a standby, each request at another node',
  {
    skip: NO_POSTGRES,
  },
  t =>
    withNodes({ count: 3, standby: true }, async ({ urls }) => {
      const rotation = await startRotation(urls)
      t.after(() => rotation.close())
      await takePartThroughAll(t, rotation.url)
    }),
)
