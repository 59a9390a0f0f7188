/** A small file as a data URL, as the bundler of the tests gives it. */
declare module '*?inline' {
  const url: string
  export default url
}
