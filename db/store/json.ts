import {
  ColumnNode,
  InsertQueryNode,
  PrimitiveValueListNode,
  UpdateQueryNode,
  ValueNode,
  ValuesNode,
  type ColumnUpdateNode,
  type KyselyPlugin,
  type OperationNode,
} from 'kysely';
import type { JsonColumn } from '../schema/database.ts';

/** The names of JSON columns. A name means JSON in all tables that have it, which the type ensures. */
const COLUMNS = {
  account_ids: true,
  allowed_platforms: true,
  args: true,
  ask: true,
  asked: true,
  attachments: true,
  author: true,
  brand_ids: true,
  capabilities: true,
  converted: true,
  erases: true,
  extra_names: true,
  error: true,
  facts: true,
  file_ids: true,
  found: true,
  headers: true,
  history_cursor: true,
  insight: true,
  kept: true,
  media: true,
  metadata: true,
  metrics: true,
  overrides: true,
  parts: true,
  payload: true,
  platform_data: true,
  platform_media: true,
  policy: true,
  poll_cursor: true,
  reading: true,
  reasons: true,
  redirect_uris: true,
  reported: true,
  result: true,
  scopes: true,
  segments: true,
  times: true,
  traits: true,
  warnings: true,
} as const satisfies Readonly<Record<JsonColumn, true>>;
const NAMES: ReadonlySet<string> = new Set(Object.keys(COLUMNS));

/** Stands for a parameter in a query that is compiled before the values are known. */
export type Placeholder = Readonly<{
  [PLACEHOLDER]: boolean;
  name: string;
  /** Whether it is written to a JSON column, so that its value has to be encoded. */
  isJson: boolean;
}>;

const PLACEHOLDER = Symbol('placeholder');

export const placeholder = (name: string, isJson = false): Placeholder =>
  Object.freeze({ [PLACEHOLDER]: true, name, isJson });

export const isPlaceholder = (value: unknown): value is Placeholder =>
  typeof value === 'object' && value !== null && PLACEHOLDER in value;

export const jsonText = (value: unknown): string => JSON.stringify(value);

/** Whether two values have the same stored text. */
export const isSameJson = (a: unknown, b: unknown): boolean => jsonText(a ?? null) === jsonText(b ?? null);

/** Decodes the JSON columns of rows in place; throws if their text is not JSON. */
export function decodeRows<R>(rows: readonly R[]): readonly R[] {
  const [first] = rows as readonly Record<string, unknown>[];
  const names = first === undefined ? [] : Object.keys(first).filter((name) => NAMES.has(name));
  if (names.length === 0) return rows;
  for (const row of rows as readonly Record<string, unknown>[]) {
    for (const name of names) {
      const text = row[name];
      if (text !== null) row[name] = JSON.parse(text as string);
    }
  }
  return rows;
}

/** Encodes the JSON columns that a query writes. Those it reads are decoded where it runs. */
export const jsonColumns: KyselyPlugin = Object.freeze<KyselyPlugin>({
  transformQuery({ node }) {
    if (InsertQueryNode.is(node)) return encodeInsert(node);
    return UpdateQueryNode.is(node) ? encodeUpdates(node) : node;
  },
  transformResult: async ({ result }) => result,
});

function encodeInsert(node: InsertQueryNode): InsertQueryNode {
  const { columns = [], values, onConflict } = node;
  const isJsonAt = columns.map(isJson);
  return {
    ...node,
    ...(onConflict && { onConflict: encodeUpdates(onConflict) }),
    ...(values && ValuesNode.is(values) && isJsonAt.includes(true) && { values: encodeValues(values, isJsonAt) }),
  };
}

function encodeValues(node: ValuesNode, isJsonAt: readonly boolean[]): ValuesNode {
  const rows = node.values.map((row) =>
    PrimitiveValueListNode.is(row)
      ? { ...row, values: row.values.map((value, index) => (isJsonAt[index] ? asJson(value) : value)) }
      : { ...row, values: row.values.map((value, index) => (isJsonAt[index] ? encodeNode(value) : value)) },
  );
  return { ...node, values: rows };
}

function encodeUpdates<N extends Readonly<{ updates?: readonly ColumnUpdateNode[] }>>(node: N): N {
  if (node.updates === undefined) return node;
  const updates = node.updates.map((update) =>
    ColumnNode.is(update.column) && isJson(update.column) ? { ...update, value: encodeNode(update.value) } : update,
  );
  return { ...node, updates };
}

const isJson = ({ column }: ColumnNode): boolean => Object.hasOwn(COLUMNS, column.name);

/** Leaves expressions and references as they are. */
const encodeNode = (node: OperationNode): OperationNode =>
  ValueNode.is(node) ? ValueNode.create(asJson(node.value)) : node;

/** Encodes a value as JSON. A placeholder's value is encoded when the statement runs. */
export function asJson(value: unknown): unknown {
  if (isPlaceholder(value)) return placeholder(value.name, true);
  return value === null || value === undefined ? value : jsonText(value);
}
