import type { Clock } from '#kernel/clock.ts';
import type { Store } from '../store.ts';
import type { DocStore } from '../kit/docs.ts';
import type { Fetching } from '../kit/fetching.ts';
import type { Files } from '../kit/files.ts';
import type { TwinOptions } from '../kit/options.ts';
import type { Orders } from '../kit/api/orders.ts';
import { PUSH_SETTINGS } from '../kit/push/pushes.ts';
import type { Settings } from '../kit/settings.ts';
import type { GraphDocs, Page } from './docs.ts';
import { unknownObject, type OrderedError } from './api/errors.ts';
import type { Params } from '../kit/api/params.ts';
import type { People } from './people/people.ts';
import type { GraphPushes } from './push/pushes.ts';
import type { Selection } from './api/fields.ts';
import { draw, page, selectionOf, type Frame, type NodeType, type Paged } from './api/render.ts';
import type { Actor, Tokens } from './oauth/tokens.ts';
import type { Updates } from './push/updates.ts';

export const GRAPH_SETTINGS = Object.freeze({
  /** For how many ms a new id is not found (100/33). */
  read_lag_ms: 0,
  /** Whether a sent message is reported as delivered at once. */
  auto_delivery: true,
  ...PUSH_SETTINGS,
  push_wrap: false,
  /** Whether ids are JSON numbers, which are too large for a double. */
  numeric_ids: false,
  /** Where updates are sent; if empty, to this server. */
  callback_url: '',
  verify_token: 'sandbox',
  /** The callback that was verified. */
  verified_url: '',
});

export type GraphWorld = Readonly<{
  slug: string;
  options: TwinOptions;
  store: Store;
  clock: Clock;
  nodes: DocStore<GraphDocs> & Readonly<{ find(id: string): Readonly<{ kind: string }> | undefined }>;
  people: People;
  tokens: Tokens;
  settings: Settings<typeof GRAPH_SETTINGS>;
  orders: Orders<OrderedError>;
  files: Files;
  fetching: Fetching;
  updates: Updates;
  pushes: GraphPushes;
  appSecret: string;
  hosts: Readonly<{ rupload(): string; www(): string; cdn(): string }>;
}>;

/** A call that passed all checks: its parameters, its caller and how to render the response. */
export type Call = Readonly<{ verb: string; params: Params; actor: Actor; frame: Frame; version: string }>;

export type Method = Readonly<{
  /** The documented parameters, without those that every method has. */
  params: readonly string[];
  /** Set if a GET changes something. */
  effect?: boolean;
  /** Whether it can be called without a token. */
  open?: boolean;
  run(call: Call, id: string): unknown;
}>;
export type Methods = Readonly<Record<string, Method>>;

export const fileUrl = ({ hosts }: Pick<GraphWorld, 'hosts'>, blob: string): string => `${hosts.cdn()}/${blob}`;

export const pictureUrl = ({ hosts }: Pick<GraphWorld, 'hosts'>, id: string): string =>
  `${hosts.cdn()}/picture/${id}.png`;

export function live<T extends object>(doc: T | undefined, id: string, verb = 'get'): T {
  if (doc === undefined || ('deleted_at' in doc && doc.deleted_at !== undefined)) throw unknownObject(id, verb);
  return doc;
}

/** Returns the document, or throws 100/33 while it is too new to be found (read lag). */
export function seen<T extends { id: string; seen_from: number }>({ clock }: Pick<GraphWorld, 'clock'>, doc: T): T {
  if (doc.seen_from > clock.now()) throw unknownObject(doc.id);
  return doc;
}

export function pageAt({ people }: Pick<GraphWorld, 'people'>, id: string): Page {
  const page = people.page(id);
  if (page === undefined) throw unknownObject(id);
  return page;
}

export const fieldsOf = ({ params }: Call): Selection | undefined => selectionOf(params.text('fields'));

export const drawOne = <N>(call: Call, look: NodeType<N>, node: N): object =>
  draw(look, node, fieldsOf(call), call.frame);

export const drawList = <N>(
  call: Call,
  look: NodeType<N>,
  path: string,
  rows: readonly N[],
  { below = fieldsOf(call), sizes }: Partial<Pick<Paged, 'below' | 'sizes'>> = {},
): object => page(look, rows, { path, query: call.params.query, below, frame: call.frame, ...(sizes && { sizes }) });
