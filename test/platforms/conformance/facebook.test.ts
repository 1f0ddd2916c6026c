import { conforms } from './conforms.ts';
import { facebookSubject } from './facebook.ts';

conforms(facebookSubject);
