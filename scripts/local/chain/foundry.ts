import { createRequire } from 'node:module'

/**
 * Returns the path of a native program of Foundry, which npm installs for this platform as a dependency
 * of `@foundry-rs/<tool>`. That package's own command forwards neither signals nor the exit code.
 */
export function foundryBinary(tool: 'anvil' | 'forge'): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const file = process.platform === 'win32' ? `${tool}.exe` : tool
  const fromHere = createRequire(import.meta.url)
  const fromTool = createRequire(fromHere.resolve(`@foundry-rs/${tool}/package.json`))
  return fromTool.resolve(`@foundry-rs/${tool}-${process.platform}-${architecture}/bin/${file}`)
}
