import type { Clock } from '../../kernel/clock.ts';
import type { Store } from '../store.ts';
import type { Nodes, Page, Photo, Post, Comment, Video } from './docs.ts';
import { unknownObject } from '../graph/errors.ts';
import type { Fetching } from '../kit/fetching.ts';
import type { Files } from '../kit/files.ts';
import type { Params } from '../graph/params.ts';
import type { People } from './people.ts';
import type { Pushes } from '../kit/pushes.ts';
import type { Frame } from '../graph/render.ts';
import type { Settings } from '../kit/settings.ts';
import type { Actor, Tokens } from '../graph/tokens.ts';
import type { Updates } from './updates.ts';

/** Everything the parts of the twin share. */
export type World = Readonly<{
  store: Store;
  clock: Clock;
  nodes: Nodes;
  people: People;
  tokens: Tokens;
  settings: Settings;
  files: Files;
  fetching: Fetching;
  updates: Updates;
  pushes: Pushes;
  appSecret: string;
  /** Where the hosts of the twin stand: `rupload` for programs, `www` and `cdn` for browsers too. */
  hosts: Readonly<{ rupload(): string; www(): string; cdn(): string }>;
}>;

/** A call that has passed the gate: its parameters, its caller, and how its answer is drawn. */
export type Call = Readonly<{ verb: string; params: Params; actor: Actor; frame: Frame; version: string }>;

export type NodeKind =
  | 'person'
  | 'page'
  | 'post'
  | 'photo'
  | 'video'
  | 'comment'
  | 'thread'
  | 'message'
  | 'profile'
  | 'app';

/** What a path and verb stand for. */
export type Method = Readonly<{
  /** Names of the parameters the platform describes for it, beside those every call may carry. */
  params: readonly string[];
  /** It changes something, though it is a GET. */
  effect?: boolean;
  /** May be called without a token. */
  open?: boolean;
  run(call: Call, id: string): unknown;
}>;
export type Methods = Readonly<Record<string, Method>>;

/** The address of a stored file. */
export const fileUrl = ({ hosts }: World, blob: string): string => `${hosts.cdn()}/${blob}`;

/** A document that is still there. */
export function live<T extends { deleted_at?: number }>(doc: T | undefined, id: string, verb = 'get'): T {
  if (doc === undefined || doc.deleted_at !== undefined) throw unknownObject(id, verb);
  return doc;
}

/** A document that readers can see already: fresh ids are not found for a while (read lag). */
export function seen<T extends Post | Photo | Video | Comment>({ clock }: World, doc: T): T {
  if (doc.seen_from > clock.now()) throw unknownObject(doc.id);
  return doc;
}

/** The Page a path names. */
export function facebookPage({ people }: World, id: string): Page {
  const page = people.page(id);
  if (page === undefined) throw unknownObject(id);
  return page;
}
