/** Templates that are sent: the right one, with the right parameters, as phones show it. */
import type { Call } from '../../graph/world.ts';
import { asText } from '../../kit/api/checks.ts';
import type { Choice, Fields, Template } from '../docs.ts';
import { invalid, missing, refusal } from '../errors.ts';
import { fieldsIn, fileOf, textOf } from '../messages/content.ts';
import type { Content } from '../messages/content.ts';
import type { World } from '../world.ts';
import { buttonsOf, componentOf, placesIn } from './rules.ts';

const LONGEST = 1024;
const TEXTS = new Set(['text', 'currency', 'date_time']);

export type Templates = ReturnType<typeof makeTemplates>;

function valueOf(parameter: Fields, where: string): string {
  const { type } = parameter;
  if (typeof type !== 'string' || !TEXTS.has(type))
    throw refusal(132012, `${where}: expected a parameter of type text`);
  if (type === 'text') return textOf(parameter['text'], `${where}.text`, LONGEST);
  return asText(fieldsIn(parameter[type], `${where}.${type}`)['fallback_value']);
}

const wrongCount = (where: string, got: number, expected: number) =>
  refusal(
    132000,
    `${where}: number of localizable_params (${got}) does not match the expected number of params (${expected})`,
  );

/** A text with its places filled in. */
function fill(text: string, parameters: readonly Fields[], where: string, isNamed: boolean): string {
  const places = placesIn(text);
  if (places.length !== parameters.length) throw wrongCount(where, parameters.length, places.length);
  const values = new Map(
    parameters.map((one, at) => {
      const name = isNamed ? String(one['parameter_name']) : String(at + 1);
      return [name, valueOf(one, `${where}[${at}]`)] as const;
    }),
  );
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values.get(name);
    if (value === undefined) throw refusal(132000, `${where}: there is no parameter ${name}`);
    return value;
  });
}

/** The parameters of the component of a kind, out of those of a message. */
function parametersOf(components: readonly Fields[], type: string, index?: number): readonly Fields[] {
  const found = components.find(
    (one) => String(one['type']).toLowerCase() === type && (index === undefined || Number(one['index'] ?? 0) === index),
  );
  const parameters = found?.['parameters'] ?? [];
  if (!Array.isArray(parameters)) throw invalid(`Parameter '${type}.parameters' must be a list`);
  return parameters.map((one, at) => fieldsIn(one, `${type}.parameters[${at}]`));
}

function readHeader(template: Template, components: readonly Fields[]): Pick<Content, 'file'> {
  const header = componentOf(template, 'HEADER');
  const parameters = parametersOf(components, 'header');
  const format = (asText(header?.['format']) || 'TEXT').toLowerCase();
  if (header === undefined || format === 'text') {
    fill(asText(header?.['text']), parameters, 'header', template.parameter_format === 'NAMED');
    return {};
  }
  const [only] = parameters;
  if (parameters.length !== 1 || only === undefined) throw wrongCount('header', parameters.length, 1);
  if (only['type'] !== format)
    throw refusal(
      132012,
      `header: Format mismatch, expected ${format.toUpperCase()}, received ${String(only['type'])}`,
    );
  return format === 'location' ? {} : { file: fileOf(format, fieldsIn(only[format], `header.${format}`)) };
}

function readButtons(template: Template, components: readonly Fields[]): readonly Choice[] {
  return buttonsOf(template).flatMap((button, at): readonly Choice[] => {
    const parameters = parametersOf(components, 'button', at);
    const { type, text, url } = button;
    const title = asText(text);
    if (type === 'URL' && placesIn(asText(url)).length !== parameters.length)
      throw refusal(131008, `buttons: Button at index ${at} of type Url requires a parameter`);
    if ((type === 'COPY_CODE' || type === 'OTP') && parameters.length !== 1)
      throw refusal(131008, `buttons: Button at index ${at} requires a parameter`);
    if (type !== 'QUICK_REPLY') return [];
    const payload = parameters[0]?.['payload'];
    return [{ kind: 'button', id: typeof payload === 'string' ? payload : title, title }];
  });
}

/** Finds templates for messages. */
export function makeTemplates({ nodes }: Pick<World, 'nodes'>) {
  const of = (account: string) =>
    nodes.list('template', { page: account }).filter(({ deleted_at }) => deleted_at === undefined);

  function sendable(account: string, name: string, code: string): Template {
    const found = of(account).find((one) => one.name === name && one.language === code);
    if (found?.status === 'PAUSED') throw refusal(132015, `Template ${name} is paused due to low quality`);
    if (found?.status === 'DISABLED') throw refusal(132016, `Template ${name} was paused too many times`);
    if (found?.status !== 'APPROVED') throw refusal(132001, `template name (${name}) does not exist in ${code}`);
    return found;
  }

  return Object.freeze({
    of,
    /** The template of a message, filled in. */
    read({ params }: Call, account: string): Content & Readonly<{ template: { category: string } }> {
      const content = fieldsIn(params.object('template'), 'template');
      const language = fieldsIn(content['language'], 'template.language');
      const name = textOf(content['name'], 'template.name', 512);
      const found = sendable(account, name, textOf(language['code'], 'template.language.code', 20));
      const { components = [] } = content;
      if (!Array.isArray(components)) throw missing('template.components');
      const given = components.map((one, at) => fieldsIn(one, `template.components[${at}]`));
      const header = readHeader(found, given);
      const body = asText(componentOf(found, 'BODY')?.['text']);
      const text = fill(body, parametersOf(given, 'body'), 'body', found.parameter_format === 'NAMED');
      if (text.length > LONGEST) throw refusal(132005, 'The text with its parameters is too long');
      const choices = readButtons(found, given);
      return { type: 'template', content, text, ...header, choices, template: { category: found.category } };
    },
  });
}
