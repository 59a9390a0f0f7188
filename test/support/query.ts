export { query as queryInstance } from '../../scripts/local/explorer.ts'
