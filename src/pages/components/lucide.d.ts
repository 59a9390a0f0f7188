/** The package has types for its index only, which would bundle and load all 1,600 icons. */
declare module 'lucide/dist/esm/icons/*' {
  import type { IconNode } from 'lucide'

  const icon: IconNode
  export default icon
}
