import { runnerImport } from 'vite'

/** Imports a module with Vite, because Node does not run JSX. */
export async function load<Module>(path: string): Promise<Module> {
  const { module } = await runnerImport<Module>(path, { configFile: false })
  return module
}
