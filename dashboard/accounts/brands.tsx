import type { JSX } from 'preact';
import { Form } from '../lib/forms.tsx';
import { may } from '../lib/frame/may.ts';
import type { Brand } from '../lib/operations.ts';
import type { Accounts } from './model.ts';
import { counted } from '#kernel/people/counted.ts';

/** The list of brands. Editing the name in its field renames the brand, for those who may. */
export function Brands({ model }: Readonly<{ model: Accounts }>): JSX.Element {
  return (
    <section class="narrow" aria-labelledby="brands">
      <h2 id="brands">Brands</h2>
      <p class="quiet">A brand has at most one account of each platform.</p>
      <ul class="rows">
        {model.brands.value.map((brand) => (
          <li key={brand.id}>
            {may('update_brand') ? <Rename brand={brand} model={model} /> : <bdi>{brand.name}</bdi>}
            <small>{counted(brand.accounts_count, 'account')}</small>
          </li>
        ))}
      </ul>
      {may('create_brand') && (
        <Form class="search" onFilled={async ({ name = '' }) => name !== '' && model.addBrand(name)}>
          <input name="name" aria-label="Name of a new brand" placeholder="New brand" maxLength={120} required />
          <button aria-disabled={model.isBusy.value}>Add</button>
        </Form>
      )}
    </section>
  );
}

function Rename({ brand, model }: Readonly<{ brand: Brand; model: Accounts }>): JSX.Element {
  async function rename({ name = '' }: Readonly<Record<string, string>>): Promise<boolean> {
    if (name !== '' && name !== brand.name) await model.renameBrand(brand.id, name);
    return false;
  }
  return (
    <Form class="search" onFilled={rename}>
      <input
        name="name"
        aria-label={`Name of the brand ${brand.name}`}
        defaultValue={brand.name}
        maxLength={120}
        required
      />
      <button class="small" aria-label={`Rename ${brand.name}`}>
        Rename
      </button>
    </Form>
  );
}
