import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '#kernel/sign.ts';
import { answerOf, refuse, RPC, type Answer, type Params, type Refusal } from '../json-rpc.ts';

/** A file of a skill, available as a resource and below `/skills`. */
export type SkillFile = Readonly<{
  uri: string;
  path: string;
  title: string;
  text: string;
  digest: string;
  size: number;
}>;

/** Instructions for models (agentskills.io), in the form of the MCP extension for skills. */
export type Skill = Readonly<{
  uri: string;
  frontmatter: Readonly<{ name: string; description: string }>;
  files: readonly SkillFile[];
}>;

/** The extension's name in the server's capabilities. */
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';
export const MARKDOWN = 'text/markdown';

const MAIN_FILE = 'SKILL.md';

export function readSkills(folder: string): readonly Skill[] {
  return readdirSync(folder).map((name) => readSkill(join(folder, name), name));
}

function readSkill(folder: string, name: string): Skill {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
  const files = paths.map((path) => path.replaceAll('\\', '/')).map((path) => readFile(folder, name, path));
  const main = files.find(({ uri }) => uri === `skill://${name}/${MAIN_FILE}`)!;
  return Object.freeze({
    uri: main.uri,
    frontmatter: frontmatterOf(main.text) as Skill['frontmatter'],
    files: [main, ...files.filter((file) => file !== main).toSorted((a, b) => a.path.localeCompare(b.path))],
  });
}

function readFile(folder: string, name: string, path: string): SkillFile {
  const bytes = readFileSync(join(folder, path));
  const text = bytes.toString('utf8');
  return Object.freeze({
    uri: `skill://${name}/${path}`,
    path: `/skills/${name}/${path}`,
    title: /^# (.+)$/m.exec(text)?.[1] ?? path,
    text,
    digest: `sha256:${sha256(bytes)}`,
    size: bytes.length,
  });
}

/** The `name: value` lines of the front matter. The skills here need no other YAML. */
function frontmatterOf(text: string): Readonly<Record<string, string>> {
  const [, head = ''] = text.split(/^---$/m, 2);
  return Object.fromEntries([...head.matchAll(/^([\w-]+): (.+)$/gm)].map(([, name, value]) => [name!, value!]));
}

const entryOf = ({ uri, frontmatter, files }: Skill): object => ({
  uri,
  frontmatter,
  resources: files.map(({ uri: address, digest, size }) => ({ uri: address, digest, size })),
});

/** The body of `skills/list`, written once. */
export const listedSkills = (skills: readonly Skill[]): string => `"skills":${JSON.stringify(skills.map(entryOf))}`;

/** Responds to `skills/get` with the skill whose main file has the given URI. */
export function getSkill(skills: readonly Skill[], { uri }: Params, ttlMs: number): Answer | Refusal {
  const skill = skills.find((one) => one.uri === uri);
  if (skill === undefined) return refuse(RPC.invalidParams, 'There is no such skill. Use a uri from skills/list.');
  return answerOf({ skill: entryOf(skill) }, ttlMs);
}
