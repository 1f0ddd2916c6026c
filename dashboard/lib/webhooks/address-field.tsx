import type { JSX } from 'preact';

type AddressFieldProps = Readonly<{ hint: string; problem?: string | undefined }> &
  Pick<JSX.IntrinsicElements['input'], 'defaultValue' | 'placeholder'>;

/** The field for an endpoint's URL; its name is `url`. */
export function AddressField({ hint, problem, ...input }: AddressFieldProps): JSX.Element {
  return (
    <div class="field narrow">
      <label htmlFor="url">Address</label>
      <p class="hint" id="url-hint">
        {hint}
      </p>
      <input
        id="url"
        name="url"
        type="url"
        required
        maxLength={2048}
        autocomplete="off"
        spellcheck={false}
        aria-describedby="url-hint url-problem"
        aria-invalid={problem === undefined ? undefined : true}
        {...input}
      />
      <p class="bad" id="url-problem" role="alert">
        {problem}
      </p>
    </div>
  );
}
