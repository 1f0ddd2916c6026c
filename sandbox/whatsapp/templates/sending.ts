/** Finds the template of a message, fills it in and shows it as phones do. */
import { z } from 'zod';
import type { Call } from '../../graph/world.ts';
import { asText } from '../../kit/api/checks.ts';
import { shape, text } from '../../kit/api/shapes.ts';
import type { Bubble, Choice, Fields, Template } from '../docs.ts';
import { read, refusal } from '../errors.ts';
import { fileOf, type Content } from '../messages/content.ts';
import type { World } from '../world.ts';
import { buttonsOf, componentOf, placesIn } from './rules.ts';

const LONGEST = 1024;
const ASKED = shape({
  language: shape({ code: text(20) }),
  name: text(512),
  components: z
    .array(shape({ parameters: z.array(shape({}), 'must be a list').optional() }), 'must be a list')
    .optional(),
});
type Component = NonNullable<z.output<typeof ASKED>['components']>[number];

export type Templates = ReturnType<typeof makeTemplates>;

function textOf(parameter: Fields, where: string): string {
  const value = read(text(LONGEST), parameter['text'], `${where}.text`);
  if (/[\n\r\t]| {5}/.test(value))
    throw refusal(132018, 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces');
  return value;
}

function valueOf(parameter: Fields, where: string): string {
  const type = String(parameter['type']);
  if (type === 'text') return textOf(parameter, where);
  if (type !== 'currency' && type !== 'date_time') throw refusal(132012, `${where}: expected a parameter of type text`);
  return asText(read(shape({}), parameter[type], `${where}.${type}`)['fallback_value']);
}

function requireCount(where: string, got: number, wanted: number): void {
  if (got !== wanted)
    throw refusal(
      132000,
      `${where}: number of localizable_params (${got}) does not match the expected number of params (${wanted})`,
    );
}

function fill(template: Template, type: 'HEADER' | 'BODY', parameters: readonly Fields[]): string {
  const where = type.toLowerCase();
  const source = asText(componentOf(template, type)?.['text']);
  requireCount(where, parameters.length, placesIn(source).length);
  const values = new Map(
    parameters.map((one, at) => {
      const name = template.parameter_format === 'NAMED' ? String(one['parameter_name']) : String(at + 1);
      return [name, valueOf(one, `${where}[${at}]`)] as const;
    }),
  );
  return source.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values.get(name);
    if (value === undefined) throw refusal(132000, `${where}: there is no parameter ${name}`);
    return value;
  });
}

const parametersOf = (components: readonly Component[], type: string, index?: number): readonly Fields[] =>
  components.find(
    (one) => String(one['type']).toLowerCase() === type && (index === undefined || Number(one['index'] ?? 0) === index),
  )?.parameters ?? [];

function readHeader(template: Template, components: readonly Component[]): Pick<Content, 'file'> {
  const format = (asText(componentOf(template, 'HEADER')?.['format']) || 'TEXT').toLowerCase();
  const parameters = parametersOf(components, 'header');
  if (format === 'text') {
    fill(template, 'HEADER', parameters);
    return {};
  }
  requireCount('header', parameters.length, 1);
  const { type, [format]: file } = parameters[0]!;
  if (type !== format)
    throw refusal(132012, `header: Format mismatch, expected ${format.toUpperCase()}, received ${String(type)}`);
  return format === 'location' ? {} : { file: fileOf(format, file, `header.${format}`) };
}

function readButtons(template: Template, components: readonly Component[]): readonly Choice[] {
  return buttonsOf(template).flatMap(({ type, text: label, url }, at): readonly Choice[] => {
    const parameters = parametersOf(components, 'button', at);
    const title = asText(label);
    if (type === 'URL' && placesIn(asText(url)).length !== parameters.length)
      throw refusal(131008, `buttons: Button at index ${at} of type Url requires a parameter`);
    for (const one of parameters) if (one['type'] === 'text') textOf(one, `buttons[${at}]`);
    if ((type === 'COPY_CODE' || type === 'OTP') && parameters.length !== 1)
      throw refusal(131008, `buttons: Button at index ${at} requires a parameter`);
    const id = asText(parameters[0]?.['payload']) || title;
    return type === 'QUICK_REPLY' ? [{ kind: 'button', id, title }] : [];
  });
}

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
    /** Reads the template of a message and fills it in. */
    read({ params }: Call, account: string): Content & Pick<Bubble, 'template'> {
      const content = params.object('template') ?? {};
      const { name, language, components = [] } = read(ASKED, params.object('template'), 'template');
      const found = sendable(account, name, language.code);
      const header = readHeader(found, components);
      const filled = fill(found, 'BODY', parametersOf(components, 'body'));
      if (filled.length > LONGEST) throw refusal(132005, 'The text with its parameters is too long');
      const choices = readButtons(found, components);
      return { type: 'template', content, text: filled, ...header, choices, template: { category: found.category } };
    },
  });
}
