/**
 * Milliseconds that tests wait for what other processes or callbacks do. It is far more than that
 * takes, because a busy machine may need as many seconds as an idle one needs tenths.
 */
export const PATIENCE = 60_000
