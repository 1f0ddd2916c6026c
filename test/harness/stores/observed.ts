import type { CompiledQuery, Kysely } from 'kysely';
import type { Database } from '#db/schema/database.ts';
import { builderOn } from '#db/store/builder.ts';
import type { Dialect } from '#db/store/dialect.ts';

/** The queries of a store, each reported before it is executed. */
export const observed = (
  { dialect, db }: Readonly<{ dialect: Dialect; db: Kysely<Database> }>,
  onQuery: (query: CompiledQuery) => void,
): Kysely<Database> =>
  builderOn<Database>(dialect, async (query) => {
    onQuery(query);
    const { rows } = await db.withoutPlugins().executeQuery<Record<string, unknown>>(query);
    return { rows: rows.map(encoded) };
  });

/** A row as it is stored, since the builder that gave it has decoded its JSON. */
const encoded = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
    ]),
  );
