const decode = (html: string) => html.replaceAll('&quot;', '"').replaceAll('&amp;', '&')

/** The fields of the form of a record, as a browser would send them. */
export function fieldsIn(html: string): Record<string, string> {
  const [form = ''] =
    /<form method="post" action="\/(?:(?:operations|settings)\/\w+\/\d+|create\/[^"/]+)".*?<\/form>/s.exec(
      html,
    ) ?? []
  const inputs = [...form.matchAll(/<input([^>]*)>/g)].flatMap(([, attributes = '']) => {
    const of = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1]
    if (of('type') === 'checkbox')
      return / checked/.test(attributes) ? [[of('name') ?? '', 'on']] : []
    return [[of('name') ?? '', decode(of('value') ?? '')]]
  })
  const [, name = '', status = ''] =
    /<select[^>]*name="(\w+)".*?<option value="(\w+)" selected/s.exec(form) ?? []
  const texts = [...form.matchAll(/<textarea[^>]*name="(\w+)"[^>]*>([^<]*)/g)].map(
    ([, field, text = '']) => [field, decode(text)],
  )
  return Object.fromEntries([...inputs, ...texts, ...(name ? [[name, status]] : [])])
}
