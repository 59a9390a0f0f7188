/** Returns the URL of what a block explorer shows, as in EIP-3091. `kind` is such as `tx`. */
export const explorerPage = (explorerUrl: string, kind: string, value: string | number): string =>
  `${explorerUrl.replace(/\/+$/, '')}/${kind}/${value}`
