import type { JSX } from 'preact';
import type { Property } from './rules.ts';

type FieldProps = Readonly<{
  id: string;
  name: string;
  property: Property;
  value: unknown;
  isRequired: boolean;
  set(value: unknown): void;
}>;

/** A field for an option, by its declared type. Options that a form cannot express are available only to programs. */
export function Field(props: FieldProps): JSX.Element | null {
  const { id, name, property, value, isRequired, set } = props;
  if (property.properties !== undefined) return <Group {...props} />;
  const input = inputFor({ id, property, value, isRequired, set });
  if (input === undefined) return null;
  return (
    <div class="option">
      <label for={id}>{titleOf(name)}</label>
      {input}
      {property.description !== undefined && <small id={`${id}-hint`}>{plainly(property.description)}</small>}
    </div>
  );
}

/** Nested options. The object exists as soon as one of them is set. */
function Group({ id, name, property, value, set }: FieldProps): JSX.Element {
  const values = (value ?? {}) as Readonly<Record<string, unknown>>;
  function change(inner: string, to: unknown): void {
    const { [inner]: _, ...others } = values;
    const next = to === undefined ? others : { ...others, [inner]: to };
    set(Object.keys(next).length === 0 ? undefined : next);
  }
  return (
    <fieldset class="option">
      <legend>{titleOf(name)}</legend>
      {property.description !== undefined && <small>{plainly(property.description)}</small>}
      {Object.entries(property.properties!).map(([inner, of]) => (
        <Field
          key={inner}
          id={`${id}-${inner}`}
          name={inner}
          property={of}
          value={values[inner]}
          isRequired={value !== undefined && (property.required ?? []).includes(inner)}
          set={(to) => change(inner, to)}
        />
      ))}
    </fieldset>
  );
}

/** A description with the names of fields as this page shows them. */
const plainly = (text: string): string =>
  text.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => name.replaceAll('_', ' '));

type InputProps = Omit<FieldProps, 'name'>;

function inputFor({ id, property, value, isRequired, set }: InputProps): JSX.Element | undefined {
  const hint = property.description === undefined ? undefined : `${id}-hint`;
  const common = { id, required: isRequired, 'aria-describedby': hint };
  const choices = choicesOf(property);
  if (choices !== undefined) {
    return (
      <select
        {...common}
        value={textOf(value)}
        onChange={({ currentTarget }) => set(choices.find((choice) => String(choice) === currentTarget.value))}
      >
        <option value="">As usual</option>
        {choices.map((choice) => (
          <option key={String(choice)} value={String(choice)}>
            {wordsOf(choice)}
          </option>
        ))}
      </select>
    );
  }
  if (property.type === 'integer' || property.type === 'number') {
    return (
      <input
        {...common}
        type="number"
        min={property.minimum}
        max={property.maximum}
        step={property.type === 'integer' ? 1 : 'any'}
        value={textOf(value)}
        onInput={({ currentTarget: { value: typed } }) => set(typed === '' ? undefined : Number(typed))}
      />
    );
  }
  if (property.type === 'string') {
    return (
      <input
        {...common}
        type="text"
        maxLength={property.maxLength}
        value={textOf(value)}
        onInput={({ currentTarget: { value: typed } }) => set(typed === '' ? undefined : typed)}
      />
    );
  }
  if (property.type === 'array' && property.items?.type === 'string') {
    return (
      <input
        {...common}
        type="text"
        placeholder="Several with commas between"
        value={Array.isArray(value) ? value.join(', ') : ''}
        onChange={({ currentTarget: { value: typed } }) => {
          const items = typed
            .split(',')
            .map((item) => item.trim())
            .filter(Boolean);
          set(items.length === 0 ? undefined : items);
        }}
      />
    );
  }
  return undefined;
}

function choicesOf({ type, enum: values, const: only }: Property): readonly unknown[] | undefined {
  if (type === 'boolean') return [true, false];
  return only === undefined ? values : [only];
}

function wordsOf(choice: unknown): string {
  if (typeof choice === 'boolean') return choice ? 'Yes' : 'No';
  return titleOf(String(choice));
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? `${value}` : '';

/** An API name as a label, such as Privacy level. */
function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
