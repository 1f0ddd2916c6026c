import { isPreset, policyOf, type Policy, type Preset } from '#kernel/limits/leash.ts';
import { html, type Html } from '#kernel/text/html.ts';
import { drawCheckbox, drawRadio } from './form-fields.ts';

export type BrandChoice = Readonly<{ id: string; name: string }>;

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
      'It answers people who wrote to you, once each, and likes or hides comments. It asks before everything else.',
    ],
  ],
  [
    'full',
    [
      'Everything',
      'It publishes, sends and deletes by itself, changes webhooks, brands and API keys, and can delete your whole workspace.',
    ],
  ],
]);

/** What a preset is called. */
export function titleOfPreset(preset: Preset): string {
  return WORDS.get(preset)![0];
}

/** Five choices of what a connection may do, and to which brands that is limited. */
export function drawLeashFields(brands: readonly BrandChoice[], chosen: Pick<Policy, 'preset' | 'brand_ids'>): Html {
  const isChosen = (id: string) => chosen.brand_ids?.includes(id) ?? false;
  return html`<fieldset>
      <legend>It may</legend>
      ${[...WORDS].map(([preset, [title, meaning]]) => drawRadio('preset', preset, title, meaning, preset === chosen.preset))}
    </fieldset>
    <details>
      <summary>Only some brands</summary>
      <fieldset>
        <legend>Brands <small>(none ticked = all brands)</small></legend>
        ${brands.map(({ id, name }) => drawCheckbox('brand_ids', id, name, '', isChosen(id)))}
      </fieldset>
    </details>`;
}

/** The leash that a form asks for; a form without a preset asks for none, and one that cannot be is undefined. */
export function leashIn(fields: URLSearchParams, brands: readonly BrandChoice[]): Policy | undefined {
  const preset = fields.get('preset') ?? 'full';
  const brand_ids = fields.getAll('brand_ids');
  const isKnown = brand_ids.every((id) => brands.some((brand) => brand.id === id));
  return isPreset(preset) && isKnown ? policyOf(preset, { brand_ids }) : undefined;
}
