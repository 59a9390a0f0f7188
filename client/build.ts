/** Writes `dist`: the library as ES modules and for CommonJS, each with its types, and the commands. */
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'

rmSync('dist', { recursive: true, force: true })
for (const project of ['tsconfig.json', 'tsconfig.cjs.json'])
  execFileSync('tsc', ['-p', project], { stdio: 'inherit' })
writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n')

// With everything that the commands need, so that the package has no dependencies.
await build({
  entryPoints: ['src/cli.ts'],
  outfile: 'dist/cli.js',
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minify: true,
})
