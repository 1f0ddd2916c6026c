import { unescape } from 'node:querystring';
import type { Caller } from '#call/caller.ts';
import { MINUTE } from '#kernel/clock.ts';
import { mayCall } from '../access.ts';
import type { Entry } from './catalogue.ts';
import { MARKDOWN, type Skill, type SkillFile } from './documents/skills.ts';

/** The result of a read tool under a URI. Names in braces are its arguments; access is that of the tool. */
export type Resource = Readonly<{
  uri: string;
  name: string;
  title: string;
  description: string;
  tool: string;
  /** How long clients may cache the result. */
  ttlMs: number;
}>;

export const RESOURCES: readonly Resource[] = Object.freeze([
  {
    uri: 'social://accounts',
    name: 'accounts',
    title: 'Connected accounts',
    description: 'The connected social accounts with their ids, platforms and states.',
    tool: 'list_accounts',
    ttlMs: 5_000,
  },
  {
    uri: 'social://brands',
    name: 'brands',
    title: 'Brands',
    description: 'The brands and their ids.',
    tool: 'list_brands',
    ttlMs: 5_000,
  },
  {
    uri: 'social://usage',
    name: 'usage',
    title: 'Usage and limits',
    description: 'What the plan allows this month and what is used.',
    tool: 'get_usage',
    ttlMs: 5_000,
  },
  {
    uri: 'social://webhook-events',
    name: 'webhook-events',
    title: 'Webhook events',
    description: 'Every event an endpoint can subscribe to.',
    tool: 'list_webhook_events',
    ttlMs: 60 * MINUTE,
  },
  {
    uri: 'social://platform-rules',
    name: 'platform-rules',
    title: 'Platform rules',
    description: 'Text lengths, media kinds and sizes each platform takes.',
    tool: 'get_constraints',
    ttlMs: 60 * MINUTE,
  },
  {
    uri: 'social://posts/{post_id}',
    name: 'post',
    title: 'Post',
    description: 'A post with its targets and the state of each.',
    tool: 'get_post',
    ttlMs: 5_000,
  },
  {
    uri: 'social://conversations/{conversation_id}',
    name: 'conversation',
    title: 'Conversation',
    description: 'A thread of direct messages: with whom, on which account, and its last message.',
    tool: 'get_conversation',
    ttlMs: 5_000,
  },
]);

export type ResourceCatalogue = Readonly<{
  /** The bodies of the two lists, with what the caller may read. */
  listed(caller: Caller): string;
  templates(caller: Caller): string;
  empty: boolean;
  /** Whether a URI or template is listed. */
  has(uri: string): boolean;
  find(uri: string): Readonly<{ resource: Resource; entry: Entry; input: Record<string, string> }> | undefined;
  file(uri: string): SkillFile | undefined;
}>;

/** The resources that the offered tools can serve, and the files of skills. */
export function makeResourceCatalogue(
  resources: readonly Resource[],
  entries: ReadonlyMap<string, Entry>,
  skills: readonly Skill[],
): ResourceCatalogue {
  const files = new Map(skills.flatMap((skill) => skill.files.map((file) => [file.uri, file] as const)));
  const served = resources
    .filter(({ tool }) => entries.has(tool))
    .map((resource) => {
      const isTemplate = resource.uri.includes('{');
      const text = JSON.stringify(describeResource(resource, isTemplate ? 'uriTemplate' : 'uri'));
      return { resource, entry: entries.get(resource.tool)!, match: matcherOf(resource.uri), isTemplate, text };
    });
  const skillFiles = skills.flatMap(describeSkill).map((file) => JSON.stringify(file));
  const describe = (templates: boolean, caller: Caller) =>
    served
      .filter(({ entry, isTemplate }) => isTemplate === templates && mayCall(entry.tool, caller))
      .map(({ text }) => text);
  return Object.freeze({
    listed: (caller: Caller) => `"resources":[${[...describe(false, caller), ...skillFiles].join()}]`,
    templates: (caller: Caller) => `"resourceTemplates":[${describe(true, caller).join()}]`,
    empty: served.length === 0 && files.size === 0,
    has: (uri: string) => served.some(({ resource }) => resource.uri === uri),
    find(uri: string) {
      for (const { resource, entry, match } of served) {
        const input = match(uri);
        if (input) return { resource, entry, input };
      }
      return undefined;
    },
    file: (uri: string) => files.get(uri),
  });
}

const describeResource = ({ uri, name, title, description }: Resource, place: 'uri' | 'uriTemplate') => ({
  [place]: uri,
  name,
  title,
  description,
  mimeType: 'application/json',
});

/** The first file has the skill's name and description; the others refer to the first. */
function describeSkill({ uri: main, frontmatter: { name, description }, files }: Skill): readonly object[] {
  return files.map(({ uri, title }) => ({
    uri,
    name: uri === main ? name : uri.slice(uri.indexOf('://') + 3),
    title,
    description: uri === main ? description : `Part of the skill ${name}.`,
    mimeType: MARKDOWN,
  }));
}

/** Matches URIs of a template, in which each name in braces stands for one path segment. */
function matcherOf(template: string): (uri: string) => Record<string, string> | undefined {
  const source = template
    .split(/\{(\w+)\}/)
    .map((part, index) =>
      index % 2 === 1 ? `(?<${part}>[^/?#]+)` : part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`),
    )
    .join('');
  const pattern = new RegExp(`^${source}$`);
  return (uri) => {
    const found = pattern.exec(uri);
    if (found === null) return undefined;
    return Object.fromEntries(Object.entries(found.groups ?? {}).map(([name, value]) => [name, unescape(value)]));
  };
}
