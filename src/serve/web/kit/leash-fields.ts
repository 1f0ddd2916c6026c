import { ApiError } from '#kernel/errors.ts';
import { isPreset, policyOf, type Policy, type Preset } from '#kernel/limits/leash.ts';
import { attributes, html, type Html } from '#kernel/text/html.ts';
import { drawCheckbox, drawField, drawRadio } from './form-fields.ts';

export type BrandView = Readonly<{ id: string; name: string }>;

/** What each preset lets an app do, in the words of the person who chooses. */
const WORDS: ReadonlyMap<Preset, readonly [title: string, meaning: string]> = new Map([
  ['read', ['Only read', 'It sees posts, messages, comments and numbers, and changes nothing.']],
  ['draft', ['Prepare drafts', 'It also writes drafts and uploads media. Nothing leaves the workspace.']],
  [
    'ask',
    ['Ask me first', 'It may ask to publish, send, answer, hide or delete. Nothing happens before you agree to it.'],
  ],
  [
    'answer',
    [
      'Answer by itself',
      'It answers each message, comment, mention or review once, and likes and hides comments, so many a day. It asks before it writes to anybody else, publishes or deletes.',
    ],
  ],
  [
    'full',
    [
      'Everything',
      'It publishes, sends and deletes by itself. Unless it is limited to some brands, it also changes webhooks, brands and API keys, and can delete your whole workspace.',
    ],
  ],
]);

/** What a preset is called. */
export function titleOfPreset(preset: Preset): string {
  return WORDS.get(preset)![0];
}

/** Five choices of what a connection may do, and to which brands that is limited. */
export function drawLeashFields(brands: readonly BrandView[], chosen: Pick<Policy, 'preset' | 'brand_ids'>): Html {
  const { brand_ids: ticked = [] } = chosen;
  // Unless they are sent back as well, a limit to brands of which none is left would become none.
  const deleted = ticked.filter((id) => !brands.some((brand) => brand.id === id));
  return html`<fieldset>
      <legend>It may</legend>
      ${[...WORDS].map(([preset, [title, meaning]]) => drawRadio('preset', preset, title, meaning, preset === chosen.preset))}
    </fieldset>
    <details ${attributes({ open: ticked.length > 0 })}>
      <summary>Only some brands</summary>
      <fieldset>
        <legend>Brands <small>(none ticked = all brands)</small></legend>
        ${brands.map(({ id, name }) => drawCheckbox('brand_ids', id, name, '', ticked.includes(id)))}
        ${deleted.map((id) => drawCheckbox('brand_ids', id, `${id} (deleted)`, '', true))}
      </fieldset>
    </details>`;
}

/** The field for the password of the person who allows more than before. */
export function drawPasswordToWiden(wrong: boolean): Html {
  return drawField({
    name: 'password',
    label: 'Your password',
    type: 'password',
    hint: 'Needed where you allow more than before.',
    autocomplete: 'current-password',
    required: false,
    wrong,
  });
}

type Proposed = Pick<Policy, 'preset' | 'brand_ids' | 'caps'>;

/** The leash that a form asks for, or why it cannot be; what the form leaves out is as proposed, the caps always. */
export function leashIn(fields: URLSearchParams, brands: readonly BrandView[], proposed: Proposed): Policy | ApiError {
  const { caps, brand_ids: before = [] } = proposed;
  const preset = fields.get('preset') ?? proposed.preset;
  const isWhole = fields.has('preset') || fields.has('brand_ids');
  const brand_ids = isWhole ? fields.getAll('brand_ids') : before;
  if (!isPreset(preset)) {
    const message = `There is no choice ${preset}.`;
    return new ApiError('validation.field_invalid', { message, meta: { field: 'preset' } });
  }
  const unknown = brand_ids.find((id) => !before.includes(id) && !brands.some((brand) => brand.id === id));
  if (unknown !== undefined) {
    const message = `There is no brand ${unknown}.`;
    return new ApiError('validation.brand_invalid', { message, meta: { field: 'brand_ids', id: unknown } });
  }
  return policyOf(preset, { brand_ids, caps });
}
