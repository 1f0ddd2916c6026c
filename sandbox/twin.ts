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
  /** What they type into the platform's connect form, by its field names; absent where there is no such form. */
  form?: Readonly<Record<string, string>>;
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

/** A post with its whole past, deleted ones included; `versions.length` distinguishes a double publish from a repeat. */
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

/** A direct message as its network keeps it, once per sending: two of the same text are a double send. */
export type SandboxMessage = Readonly<{
  network: string;
  conversation: string;
  id: string;
  /** Handles, or whatever else the network calls people by. */
  from: string;
  to: string;
  text: string;
  at: string;
}>;

/** One blank of an action's form. */
export type ActionField = Readonly<{
  name: string;
  label: string;
  /** How the console draws it; `lines` is a larger box, `flag` a tick. */
  input: 'text' | 'lines' | 'number' | 'flag';
  /** Ready answers: the console draws a list of them instead. */
  choices?: () => readonly Readonly<{ value: string; label: string }>[];
  /** May be left empty; it is then absent from the input. */
  optional?: boolean;
}>;

/** Something an operator or a test can do in the place of a follower. */
export type Action = Readonly<{
  name: string;
  label: string;
  /** The heading the console lists it under. */
  group: string;
  fields: readonly ActionField[];
}>;

/** Draws the form of an action beside the thing it is about, with the fields that are known there already. */
export type Offer = (action: string, given: Readonly<Record<string, string>>, label?: string) => Html;

/** Somebody the console introduces. */
export type Resident = Readonly<{
  handle: string;
  name: string;
  /** Where their own page is. */
  path: string | undefined;
  /** What they are good for here: how to connect them, or what they do. */
  part: Html;
}>;

/** One delivery of a twin to the app. */
export type SandboxPush = Readonly<{
  id: number;
  kind: string;
  url: string;
  body: string;
  at: string;
  attempts: number;
  state: 'waiting' | 'delivered' | 'given_up';
  status: number | undefined;
  answer: string;
}>;

/** What is known of a twin before it is opened. */
export type TwinAbout = Readonly<{
  slug: string;
  title: string;
  /** How an account of this network is connected, in one sentence. */
  entry: string;
  /** The areas, or addresses in them, that programs call; all others are pages for people, which a public server asks to sign in. */
  apis: readonly string[];
  /** What the names of its tables begin with, before an underscore. */
  prefix: string;
}>;

/** One platform's stand-in, as the network mounts it and the console shows it. */
export type Twin = TwinAbout &
  Readonly<{
    /** Methods a fault can be aimed at. */
    methods: readonly string[];
    handle(ctx: Context, segments: readonly string[]): Promise<void> | void;
    people(): readonly SandboxPerson[];
    /** Everybody who can be connected or played. */
    cast(): readonly Resident[];
    /** The id of a person given by handle or id. */
    find(person: string): string | undefined;
    addPerson(handle: string, displayName: string): SandboxPerson;
    posts(person: string): readonly SandboxPost[];
    /** The newest posts of everyone with what was said about them, drawn for the console; absent where nobody posts. */
    latest?(count: number, offer?: Offer): readonly Html[];
    /** What can be done in a follower's place; the console draws a form for each, the control door takes the same by name. */
    actions?: readonly Action[];
    /** The conversations with the newest messages, drawn for the console; absent where nobody can write to an account. */
    conversations?(count: number, offer: Offer): readonly Html[];
    /** What it sent to the app, newest first; absent where a network sends nothing by itself. */
    pushes?(count: number): readonly SandboxPush[];
    /** Ends every grant of a person at once, as they would in the platform's own settings. */
    revoke(person: string): void;
    /** Back to the first day: people and their credentials stay, all they did is gone. */
    reset(): void;
    /** Does something people of the network do, by name, and answers what was made; undefined when there is no such thing. */
    act?(name: string, input: Readonly<Record<string, unknown>>): unknown;
    /** A list of what is there, by name; undefined when there is no such list. */
    look?(name: string): unknown;
    /** When it has nothing more to send by itself. */
    settle?(): Promise<void>;
    close?(): void;
  }>;
