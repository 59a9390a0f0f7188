/** Writes a request of the reference as a program. The token is read from the environment. */

/** The value as a literal, with these words for true, false and null. */
function literal(value, words, indent = '') {
  if (value === null || typeof value === 'boolean') return words[value]
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = `${indent}${words.indent}`
  const items = Array.isArray(value)
    ? value.map((item) => literal(item, words, inner))
    : Object.entries(value).map(
        ([name, item]) => `${words.key(name)}: ${literal(item, words, inner)}`,
      )
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  if (items.length === 0) return open + close
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}${close}`
}

const javascript = {
  true: 'true',
  false: 'false',
  null: 'null',
  indent: '  ',
  key: (name) => (/^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name)),
}
const python = {
  true: 'True',
  false: 'False',
  null: 'None',
  indent: '    ',
  key: (name) => JSON.stringify(name),
}

const shellQuoted = (text) => `'${text.replaceAll("'", "'\\''")}'`

function curl({ method, url, authorized, headers, json, form, isFile }) {
  const parts = [`curl ${shellQuoted(url)}`]
  if (method !== 'GET' && !(method === 'POST' && json !== undefined)) parts.push(`-X ${method}`)
  if (authorized) parts.push('-H "Authorization: Bearer $TOKEN"')
  for (const [name, value] of headers) parts.push(`-H ${shellQuoted(`${name}: ${value}`)}`)
  if (json !== undefined) parts.push(`-d ${shellQuoted(JSON.stringify(json, null, 2))}`)
  if (form) parts.push(`-F ${form}=@picture.jpg`)
  if (isFile) parts.push('--data-binary @picture.jpg')
  return parts.join(' \\\n  ')
}

function typescript({ method, url, authorized, headers, json, form, isFile }) {
  const lines = []
  if (form || isFile) lines.push("import { openAsBlob } from 'node:fs'", '')
  if (form)
    lines.push(
      'const form = new FormData()',
      `form.set('${form}', await openAsBlob('picture.jpg'), 'picture.jpg')`,
    )
  const entries = headers.map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  )
  if (authorized) entries.unshift(`    Authorization: \`Bearer \${process.env.TOKEN}\`,`)
  lines.push(`const response = await fetch(${JSON.stringify(url)}, {`)
  if (method !== 'GET') lines.push(`  method: '${method}',`)
  if (entries.length > 0) lines.push('  headers: {', ...entries, '  },')
  if (json !== undefined) lines.push(`  body: JSON.stringify(${literal(json, javascript, '  ')}),`)
  if (form) lines.push('  body: form,')
  if (isFile) lines.push("  body: await openAsBlob('picture.jpg'),")
  lines.push('})', 'if (!response.ok) throw new Error(await response.text())')
  lines.push('console.log(await response.json())')
  return lines.join('\n')
}

function pythonProgram({ method, url, authorized, headers, json, form, isFile }) {
  const imports = ['json', 'urllib.request']
  const lines = []
  const entries = headers.map(
    ([name, value]) => `        ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  )
  if (authorized) {
    imports.push('os')
    entries.unshift(`        "Authorization": f"Bearer {os.environ['TOKEN']}",`)
  }
  let data
  if (json !== undefined) {
    lines.push(`body = ${literal(json, python)}`)
    data = 'json.dumps(body).encode()'
  }
  if (isFile) data = 'open("picture.jpg", "rb").read()'
  if (form) {
    lines.push(
      'with open("picture.jpg", "rb") as file:',
      '    part = file.read()',
      'body = (',
      `    b'--part\\r\\nContent-Disposition: form-data; name="${form}"; filename="picture.jpg"\\r\\n'`,
      "    b'Content-Type: image/jpeg\\r\\n\\r\\n' + part + b'\\r\\n--part--\\r\\n'",
      ')',
    )
    entries.push('        "Content-Type": "multipart/form-data; boundary=part",')
    data = 'body'
  }
  lines.push('request = urllib.request.Request(', `    ${JSON.stringify(url)},`)
  if (method !== 'GET') lines.push(`    method="${method}",`)
  if (data) lines.push(`    data=${data},`)
  if (entries.length > 0) lines.push('    headers={', ...entries, '    },')
  lines.push(')', 'with urllib.request.urlopen(request) as response:')
  lines.push('    print(json.load(response))')
  return [...imports.sort().map((name) => `import ${name}`), '', ...lines].join('\n')
}

/** Language → its name, and the program for a request. The keys are those of the guides. */
export const languages = {
  sh: { name: 'curl', write: curl },
  ts: { name: 'TypeScript', write: typescript },
  py: { name: 'Python', write: pythonProgram },
}
