/** Escapes the path of an `ipfs:` URI, where `#` and a bare `%` belong to names of files. */
export const gatewayPath = (path: string): string =>
  path.startsWith('/') ? path.replaceAll('#', '%23').replace(/%(?![\da-f]{2})/gi, '%25') : path
