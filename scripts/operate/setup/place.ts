/** Where a new database is, and what else the instance stores. */
import { CommandError } from '../../shell/command.ts'

/** Where D1 can have the primary of a database, and the laws that it and R2 can keep data under. */
export const locations = {
  weur: 'Western Europe',
  eeur: 'Eastern Europe',
  apac: 'Asia Pacific',
  oc: 'Oceania',
  wnam: 'Western North America',
  enam: 'Eastern North America',
}
export const jurisdictions = {
  eu: 'the European Union',
  fedramp: 'FedRAMP',
}

/** Where a new database is. Neither can be changed later. */
export type Place = { location?: string; jurisdiction?: string }

/** Returns the options of `wrangler d1 create`. Throws a `CommandError` with the choices. */
export function placeOptions({ location, jurisdiction }: Place): string[] {
  if (jurisdiction !== undefined) return ['--jurisdiction', jurisdiction]
  if (location !== undefined) return ['--location', location]
  const list = (choices: Record<string, string>) =>
    Object.entries(choices).map(([name, place]) => `  ${name.padEnd(8)} ${place}`)
  throw new CommandError(
    [
      'Choose where the new database is, which cannot be changed later. Every write goes there, so',
      'choose the region that most orders come from:',
      '--location',
      ...list(locations),
      'or, if a law says where data must stay, instead of it',
      '--jurisdiction',
      ...list(jurisdictions),
    ].join('\n'),
  )
}

/** Throws a `CommandError` if D1 and R2 do not have the place. */
export function checkPlace({ location, jurisdiction }: Place): void {
  if (location !== undefined && jurisdiction !== undefined)
    throw new CommandError('Only one of --location and --jurisdiction can be given.')
  if (location !== undefined && !Object.hasOwn(locations, location))
    throw new CommandError(`--location must be one of ${Object.keys(locations).join(', ')}.`)
  if (jurisdiction !== undefined && !Object.hasOwn(jurisdictions, jurisdiction))
    throw new CommandError(
      `--jurisdiction must be one of ${Object.keys(jurisdictions).join(', ')}.`,
    )
}
