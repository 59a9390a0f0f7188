/** The default chain id of local nodes. */
export const LOCAL_CHAIN_ID = 31337
