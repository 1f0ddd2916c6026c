import type { ColumnType } from 'kysely';

export type Flag = 0 | 1;

/** A JSON column; `db/store/json.ts` encodes and decodes its value. */
export type Json<T> = ColumnType<T, T, T> & Readonly<{ isJson: true }>;

export type JsonObject = Readonly<Record<string, unknown>>;
