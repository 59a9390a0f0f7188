const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** Returns the text of HTML. `separator` replaces each tag. */
export const textOf = (html: string, separator = ''): string =>
  html
    .replace(/<[^>]*>/g, separator)
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => entities[name] ?? '')
