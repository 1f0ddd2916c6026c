import type { Context } from 'koa';
import type { Html } from './html.ts';

/** Somebody on a simulator, with the credentials that the console shows. */
export type SandboxPerson = Readonly<{
  network: string;
  id: string;
  handle: string;
  display_name: string;
  /** Credentials for a connect form, by their label in the console. */
  credentials: Readonly<Record<string, string>>;
  /** Input for the platform's connect form, if there is one. */
  form?: Readonly<Record<string, string>>;
  commits: number;
  posts: number;
}>;

/** An event in a post's history. */
type SandboxVersion = Readonly<{
  action: 'create' | 'update' | 'delete';
  cid: string | undefined;
  rev: string;
  at: string;
  record: unknown;
}>;

/** A post with its history; `versions.length` distinguishes a double publish from a repeat. */
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

/** A direct message, once per sending: two equal ones are a double send. */
export type SandboxMessage = Readonly<{
  network: string;
  conversation: string;
  id: string;
  /** Handles, or the network's other names of people. */
  from: string;
  to: string;
  text: string;
  at: string;
}>;

export type ActionField = Readonly<{
  name: string;
  label: string;
  /** Its input: `lines` is a larger box, `flag` a checkbox. */
  input: 'text' | 'lines' | 'number' | 'flag';
  /** Choices, shown as a list. */
  choices?: () => readonly Readonly<{ value: string; label: string }>[];
  /** Optional; absent from the input if empty. */
  optional?: boolean;
}>;

/** An action of an operator or test in a follower's place. */
export type Action = Readonly<{
  name: string;
  label: string;
  group: string;
  fields: readonly ActionField[];
}>;

/** Renders an action's form next to its thing, with known fields filled in. */
export type Offer = (action: string, given: Readonly<Record<string, string>>, label?: string) => Html;

export type Resident = Readonly<{
  handle: string;
  name: string;
  path: string | undefined;
  /** Their purpose: how to connect them, or what they do. */
  part: Html;
}>;

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

/** What is known of a simulator before it is opened. */
export type TwinAbout = Readonly<{
  slug: string;
  title: string;
  /** How an account is connected, in one sentence. */
  entry: string;
  /** Areas, or paths in them, for programs; others are pages, which need sign-in on a public server. */
  apis: readonly string[];
  /** The prefix of its tables, before an underscore. */
  prefix: string;
}>;

export type Twin = TwinAbout &
  Readonly<{
    methods: readonly string[];
    handle(ctx: Context, segments: readonly string[]): Promise<void> | void;
    people(): readonly SandboxPerson[];
    /** Everybody who can be connected or played. */
    cast(): readonly Resident[];
    find(person: string): string | undefined;
    addPerson(handle: string, displayName: string): SandboxPerson;
    posts(person: string): readonly SandboxPost[];
    /** The newest posts with replies, for the console; absent if nobody posts. */
    latest?(count: number, offer?: Offer): readonly Html[];
    /** Followers' actions, for console forms and the control API. */
    actions?: readonly Action[];
    /** Conversations with the newest messages; absent if nobody can write. */
    conversations?(count: number, offer: Offer): readonly Html[];
    /** Deliveries to the app, newest first; absent without pushes. */
    pushes?(count: number): readonly SandboxPush[];
    /** Ends every grant of a person, as in the platform's own settings. */
    revoke(person: string): void;
    /** Resets everything but people and their credentials. */
    reset(): void;
    /** Runs an action by name and returns its result; undefined if there is none. */
    act?(name: string, input: Readonly<Record<string, unknown>>): unknown;
    /** A list by name; undefined if there is none. */
    look?(name: string): unknown;
    /** Resolves when there is nothing to send. */
    settle?(): Promise<void>;
    close?(): void;
  }>;
