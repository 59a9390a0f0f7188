/** A file as a data URL, from the bundler of the tests. */
declare module '*?inline' {
  const url: string
  export default url
}
