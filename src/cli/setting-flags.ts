import { flagOf, SETTINGS } from '../config.ts'
import type { Flag } from './command.ts'

type SettingRow = {
  name: string
  secret?: boolean
  byDefault: string | undefined
  values?: readonly string[]
  description: string
}

const flagOfSetting = (setting: SettingRow): Flag[] => {
  const name = flagOf(setting)
  if (name === undefined) return []
  const { byDefault, values } = setting
  return [
    {
      name,
      value: name.includes('dir') ? 'DIR' : 'VALUE',
      description: setting.description,
      ...(values === undefined ? {} : { values }),
      ...(byDefault === undefined || byDefault === '' ? {} : { byDefault }),
    },
  ]
}
/** The flags of all settings that have one. */
export const SETTING_FLAGS = (Object.values(SETTINGS) as SettingRow[]).flatMap(flagOfSetting)
/** The flag of the data directory. */
export const DATA_DIR_FLAGS = flagOfSetting(SETTINGS.dataDir)
/** The flags of the address at which the service listens. */
export const ADDRESS_FLAGS = [...flagOfSetting(SETTINGS.host), ...flagOfSetting(SETTINGS.port)]
