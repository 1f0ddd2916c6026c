import type { Context } from 'koa';
import type { Html } from './html.ts';

/** Somebody who lives on a twin and whose credentials the console shows. */
export type SandboxPerson = Readonly<{
  network: string;
  id: string;
  handle: string;
  display_name: string;
  /** What a connect form asks for, by the name the console shows it under. */
  credentials: Readonly<Record<string, string>>;
  commits: number;
  posts: number;
}>;

/** One thing a post has been through: made, changed or taken away. */
export type SandboxVersion = Readonly<{
  action: 'create' | 'update' | 'delete';
  cid: string | undefined;
  rev: string;
  at: string;
  record: unknown;
}>;

/** A post with its whole past, deleted ones included; `versions.length` tells a double publish from a repeat. */
export type SandboxPost = Readonly<{
  network: string;
  person: string;
  uri: string;
  rkey: string;
  exists: boolean;
  text: string;
  path: string;
  versions: readonly SandboxVersion[];
}>;

/** One platform's stand-in, as the network mounts it and the console shows it. */
export type Twin = Readonly<{
  slug: string;
  title: string;
  /** Methods a fault can be aimed at. */
  methods: readonly string[];
  handle(ctx: Context, segments: readonly string[]): Promise<void> | void;
  people(): readonly SandboxPerson[];
  /** The id of a person given by handle or id. */
  find(person: string): string | undefined;
  addPerson(handle: string, displayName: string): SandboxPerson;
  posts(person: string): readonly SandboxPost[];
  /** The newest posts of everyone, drawn for the console. */
  latest(count: number): readonly Html[];
  /** Ends every grant of a person at once, as they would in the platform's own settings. */
  revoke(person: string): void;
  /** Back to the first day: people and their credentials stay, all they did is gone. */
  reset(): void;
}>;
