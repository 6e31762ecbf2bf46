import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const FOLDER = join(import.meta.dirname, '..', '..', 'src', 'web', 'styles')
const BASE = readFileSync(join(FOLDER, 'base.css'), 'utf8')

type Scheme = (name: string) => string

/** The colours of both schemes, light first. Dark ones replace light ones. */
const SCHEMES: [string, Scheme][] = ['light', 'dark'].map((name, index) => {
  const [, block = ''] = [...BASE.matchAll(/:root \{([^}]*)\}/g)][index] ?? []
  return [name, colour => new RegExp(`--${colour}: (#[0-9a-f]{3,6});`).exec(block)?.[1] ?? assert.fail(colour)]
})

/** The linear values of red, green and blue, from 0 to 1. */
const linear = (hex: string): number[] =>
  (hex.length === 4 ? hex.replace(/[0-9a-f]/g, '$&$&') : hex)
    .slice(1)
    .match(/../g)
    ?.map(part => Number.parseInt(part, 16) / 255)
    .map(value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)) ?? []

/** The ratio of contrast by WCAG 2.2. */
function contrast(one: string, other: string): number {
  const luminance = (hex: string): number => {
    const [r = 0, g = 0, b = 0] = linear(hex)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
  }
  const ratio = luminance(one) / luminance(other)
  return Math.max(ratio, 1 / ratio)
}

/** The hue in degrees, in the colour space OKLCH. */
function hue(hex: string): number {
  const [r = 0, g = 0, b = 0] = linear(hex)
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const bb = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  return (Math.atan2(bb, a) * 180) / Math.PI
}

const apart = (one: string, other: string): number => {
  const turn = Math.abs(hue(one) - hue(other)) % 360
  return Math.min(turn, 360 - turn)
}

for (const [name, colour] of SCHEMES) {
  test(`no colour of the ${name} scheme is near the red of a voice against`, () => {
    for (const other of ['accent', 'tint', 'mixed', 'good', 'link', 'written', 'judged', 'related'])
      assert.ok(apart(colour(other), colour('bad')) > 30, other)
    assert.ok(apart(colour('accent'), colour('bad')) > 60)
  })

  test(`the accent of the ${name} scheme has the contrast of WCAG AA with all that it is on`, () => {
    for (const ground of ['paper', 'surface', 'tint', 'on-accent'])
      assert.ok(contrast(colour('accent'), colour(ground)) >= 4.5, ground)
  })
}

test('the red of a voice against has no other use', () => {
  for (const file of readdirSync(FOLDER)) {
    const css = readFileSync(join(FOLDER, file), 'utf8').replaceAll(/\/\*.*?\*\//gs, '')
    for (const [rule] of css.matchAll(/[^{};]+\{[^{}]*var\(--bad[^{}]*\}/g))
      assert.match(rule, /^[^{]*(?:bad|against|contradict)/, `${file}: ${rule}`)
  }
})
