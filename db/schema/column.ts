import type { ColumnType } from 'kysely';

/** A boolean column. */
export type Flag = 0 | 1;

/** A column of JSON text. Queries take and answer its value; `db/store/json.ts` encodes and decodes it. */
export type Json<T> = ColumnType<T, T, T> & Readonly<{ isJson: true }>;

export type JsonObject = Readonly<Record<string, unknown>>;
