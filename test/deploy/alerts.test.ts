import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeDirectory } from '../support/process.ts'
import { missing, pathOf } from '../support/programs.ts'

const RULES = join(import.meta.dirname, '../../deploy/prometheus.rules.yml')
const skip = missing('promtool')
const directory = makeDirectory()
after(() => directory.remove())

const promtool = (...args: string[]): string => {
  const { status, stdout, stderr } = spawnSync(String(pathOf('promtool')), args, { encoding: 'utf8' })
  assert.equal(status, 0, `${stdout}${stderr}`)
  return stdout
}

type Case = {
  /** Samples in the notation of promtool: one a minute, or one in ten minutes if `at` is in hours. */
  series: Record<string, string>
  severity?: 'page' | 'ticket'
  at: string
  /** Labels of the firing alert besides its severity; undefined if it must not fire. */
  fires: Record<string, string> | undefined
}

const NODE = 'instance="a",job="palimpsest"'
const OF_NODE = { instance: 'a', job: 'palimpsest' }
const UP = { [`up{${NODE}}`]: '1x60' }

/** For each alert: samples with which it fires, and samples with which it does not. */
const CASES: Record<string, Case[]> = {
  PalimpsestNotReady: [
    { series: { [`up{${NODE}}`]: '1x5 0x10' }, at: '7m', fires: OF_NODE },
    { series: { ...UP, [`palimpsest_ready{${NODE}}`]: '1x5 0x10' }, at: '7m', fires: OF_NODE },
    { series: { ...UP, [`palimpsest_ready{${NODE}}`]: '1x60' }, at: '30m', fires: undefined },
  ],
  PalimpsestAbsent: [
    { series: {}, at: '6m', fires: { job: 'palimpsest' } },
    { series: { [`up{${NODE}}`]: '0x60' }, at: '30m', fires: undefined },
  ],
  PalimpsestFault: [
    {
      series: { [`palimpsest_problems_total{${NODE},code="UNEXPECTED_FAULT"}`]: '0x10 1x20' },
      at: '12m',
      fires: { instance: 'a', code: 'UNEXPECTED_FAULT' },
    },
    {
      series: { [`palimpsest_problems_total{${NODE},code="STORE_UNAVAILABLE"}`]: '0x10 1x20' },
      at: '12m',
      fires: { instance: 'a', code: 'STORE_UNAVAILABLE' },
    },
    {
      series: {
        [`palimpsest_problems_total{${NODE},code="UNEXPECTED_FAULT"}`]: '0x60',
        [`palimpsest_problems_total{${NODE},code="ENTRY_NOT_FOUND"}`]: '0+9x60',
      },
      at: '30m',
      fires: undefined,
    },
  ],
  PalimpsestLogFork: [
    { series: { [`palimpsest_log_forked_witnesses{${NODE}}`]: '1x2' }, at: '1m', fires: OF_NODE },
    { series: { [`palimpsest_log_forked_witnesses{${NODE}}`]: '1x2 0x30' }, at: '10m', fires: undefined },
  ],
  PalimpsestLogWithoutQuorum: [
    { series: { [`palimpsest_log_quorum{${NODE}}`]: '1x5 0x30' }, at: '25m', fires: OF_NODE },
    { series: { [`palimpsest_log_quorum{${NODE}}`]: '1x5 0x5 1x30' }, at: '25m', fires: undefined },
  ],
  PalimpsestMirrorLags: [
    { series: { [`palimpsest_mirror_lag_seconds{${NODE}}`]: '0+60x30' }, at: '10m', fires: OF_NODE },
    { series: { [`palimpsest_mirror_lag_seconds{${NODE}}`]: '2x30' }, at: '20m', fires: undefined },
  ],
  PalimpsestProxyUntrusted: [
    { series: { [`palimpsest_untrusted_proxy{${NODE}}`]: '0x5 1x5' }, at: '7m', fires: OF_NODE },
    { series: { [`palimpsest_untrusted_proxy{${NODE}}`]: '0x30' }, at: '7m', fires: undefined },
  ],
  PalimpsestOverloaded: [
    {
      series: { [`palimpsest_problems_total{${NODE},code="OVERLOADED"}`]: '0+60x30' },
      at: '20m',
      fires: { ...OF_NODE, code: 'OVERLOADED' },
    },
    { series: { [`palimpsest_problems_total{${NODE},code="OVERLOADED"}`]: '0x30' }, at: '20m', fires: undefined },
  ],
  PalimpsestWritesWait: [
    { series: { [`palimpsest_oldest_write_seconds{${NODE}}`]: '0x5 4x5' }, at: '8m', fires: OF_NODE },
    { series: { [`palimpsest_oldest_write_seconds{${NODE}}`]: '0.5x30' }, at: '8m', fires: undefined },
  ],
  PalimpsestIndexBehind: [
    { series: { [`palimpsest_search_index_lag_records{${NODE}}`]: '9500x30' }, at: '8m', fires: OF_NODE },
    { series: { [`palimpsest_search_index_lag_records{${NODE}}`]: '20x30' }, at: '8m', fires: undefined },
  ],
  PalimpsestSlowReads: [
    { series: readsOf({ fast: '0+10x30', all: '0+100x30' }), at: '20m', fires: { instance: 'a' } },
    { series: readsOf({ fast: '0+100x30', all: '0+100x30' }), at: '20m', fires: undefined },
  ],
  PalimpsestEventLoopBusy: [
    { series: lagsOf({ short: '0+10x30', all: '0+100x30' }), at: '20m', fires: { instance: 'a' } },
    { series: lagsOf({ short: '0+100x30', all: '0+100x30' }), at: '20m', fires: undefined },
  ],
  PalimpsestThreadSaturated: [
    {
      series: { [`palimpsest_thread_active_seconds_total{${NODE},thread="writer"}`]: '0+58x40' },
      at: '30m',
      fires: { ...OF_NODE, thread: 'writer' },
    },
    {
      series: { [`palimpsest_thread_active_seconds_total{${NODE},thread="main"}`]: '0+40x40' },
      at: '30m',
      fires: undefined,
    },
  ],
  PalimpsestDiskFills: [
    {
      series: { [`palimpsest_disk_free_bytes{${NODE}}`]: '40000000000-100000000x50' },
      at: '8h',
      fires: OF_NODE,
    },
    { series: { [`palimpsest_disk_free_bytes{${NODE}}`]: '40000000000x50' }, at: '8h', fires: undefined },
  ],
  PalimpsestDiskLow: [
    { series: { [`palimpsest_disk_free_bytes{${NODE}}`]: '2e9x5 5e8x10' }, at: '12m', fires: OF_NODE },
    { series: { [`palimpsest_disk_free_bytes{${NODE}}`]: '2e9x30' }, at: '12m', fires: undefined },
  ],
  PalimpsestBackupFails: [
    { series: { [`palimpsest_backup_failing{${NODE}}`]: '0x5 1x5' }, at: '7m', fires: OF_NODE },
    { series: { [`palimpsest_backup_failing{${NODE}}`]: '1x5 0x5' }, at: '7m', fires: undefined },
  ],
  PalimpsestBackupLate: [
    { series: { [`palimpsest_backup_age_seconds{${NODE}}`]: '170000+60x60' }, at: '55m', fires: OF_NODE },
    { series: { [`palimpsest_backup_age_seconds{${NODE}}`]: '86400+60x60' }, at: '55m', fires: undefined },
  ],
  PalimpsestLogLags: [
    { series: { [`palimpsest_log_lag_records{${NODE}}`]: '20000x30' }, at: '8m', fires: OF_NODE },
    { series: { [`palimpsest_log_lag_records{${NODE}}`]: '20000x2 0x30' }, at: '8m', fires: undefined },
  ],
  PalimpsestLogLinesDropped: [
    { series: { [`palimpsest_log_lines_dropped_total{${NODE}}`]: '0x10 3x20' }, at: '12m', fires: OF_NODE },
    { series: { [`palimpsest_log_lines_dropped_total{${NODE}}`]: '3x30' }, at: '12m', fires: undefined },
  ],
  PalimpsestClockJumped: [
    { series: { [`palimpsest_clock_jumps_total{${NODE}}`]: '0x10 1x20' }, at: '12m', fires: OF_NODE },
    { series: { [`palimpsest_clock_jumps_total{${NODE}}`]: '1x30' }, at: '12m', fires: undefined },
  ],
  PalimpsestOpenReports: [
    { series: { [`palimpsest_oldest_report_seconds{${NODE}}`]: '0+600x160' }, at: '25h', fires: OF_NODE },
    { series: { [`palimpsest_oldest_report_seconds{${NODE}}`]: '0+600x60 0x100' }, at: '25h', fires: undefined },
  ],
}

function readsOf({ fast, all }: { fast: string; all: string }): Record<string, string> {
  const bucket = (le: string): string => `palimpsest_request_seconds_bucket{${NODE},operation="readEntry",le="${le}"}`
  return { [bucket('0.1')]: fast, [bucket('0.25')]: all, [bucket('+Inf')]: all }
}

/** Lags of the event loop: `short` of up to 0.25 s, `all` of up to 0.5 s. */
function lagsOf({ short, all }: { short: string; all: string }): Record<string, string> {
  const bucket = (le: string): string => `palimpsest_event_loop_lag_seconds_bucket{${NODE},le="${le}"}`
  return { [bucket('0.25')]: short, [bucket('0.5')]: all, [bucket('+Inf')]: all }
}

test('promtool accepts the rules', { skip }, () => {
  assert.match(promtool('check', 'rules', RULES), /SUCCESS: \d+ rules found/)
})

const rules = readFileSync(RULES, 'utf8')

test('every alert has samples with which it fires, and samples with which it does not', () => {
  const alerts = [...rules.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name = '']) => name)
  assert.deepEqual(Object.keys(CASES).toSorted(), alerts.toSorted())
  for (const [alert, cases] of Object.entries(CASES)) {
    assert.ok(cases.some(({ fires }) => fires) && cases.some(({ fires }) => !fires), alert)
  }
})

for (const [alert, cases] of Object.entries(CASES)) {
  test(`${alert} fires when it should, and only then`, { skip }, () => {
    const severity = new RegExp(`- alert: ${alert}\\n(?: .*\\n)*? +labels: \\{ severity: (\\w+) \\}`).exec(rules)?.[1]
    const summary = new RegExp(`- alert: ${alert}\\n(?: .*\\n)*? +annotations: \\{ summary: '(.*)' \\}`).exec(
      rules,
    )?.[1]
    const file = join(directory.path, `${alert}.yml`)
    const interval = cases.every(({ at }) => at.endsWith('h')) ? '10m' : '1m'
    const tests = cases.map(({ series, at, fires }) => ({
      interval,
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      alert_rule_test: [
        {
          eval_time: at,
          alertname: alert,
          exp_alerts: fires === undefined ? [] : [{ exp_labels: { ...fires, severity }, exp_annotations: { summary } }],
        },
      ],
    }))
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: interval, tests }))
    promtool('test', 'rules', file)
  })
}
