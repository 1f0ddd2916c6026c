import { conforms } from '../platforms/conformance/conforms.ts';
import { plazaSubject } from './subject.ts';

conforms(plazaSubject);
