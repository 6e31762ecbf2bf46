import { test } from 'node:test'
import { useApp } from '../../support/app.ts'
import { mirrorChangeRounds } from '../../support/mirror-changes.ts'

const app = useApp({ TLOG_INTERVAL_SECONDS: '0.05' })

test('a reader of changes learns of withdrawals from a mirror in order, after any interval', () =>
  mirrorChangeRounds(app, 5))
