import { after } from 'node:test'
import { startApp } from '../support/app.ts'
import { testArguments } from './arguments.ts'
import { ORIGINS, testBadInput } from './bad-input.ts'
import { testFence } from './fence.ts'
import { testHttp } from './http.ts'
import { testReading } from './reading.ts'
import { testResources } from './resources.ts'
import { openSession } from './session.ts'
import { testStdio } from './stdio.ts'
import { testWriting } from './writing.ts'

// One app and one process for all tests, because starting takes most of the time.
const app = await startApp(ORIGINS)
after(() => app.close())
const { client, callTool } = await openSession(app.url)
after(() => client.close())

await testBadInput(app)
testArguments(app, callTool)
testHttp(app)
testFence(app, callTool)
testWriting(app, callTool)
testReading(app, callTool)
testResources(app)
testStdio(app)
