/** Rows that are found by their id. */
export const byId = <Row extends { id: number }>(rows: readonly Row[]): Map<number, Row> =>
  new Map(rows.map((row) => [row.id, row]))

/** A row that must be there: a foreign key says so. */
export function present<Row>(rows: Map<number, Row>, id: number): Row {
  const row = rows.get(id)
  if (row === undefined) throw new Error(`row ${id} is not there`)
  return row
}
