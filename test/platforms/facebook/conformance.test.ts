import { conforms } from '../conformance/conforms.ts';
import { facebookSubject } from '../conformance/facebook.ts';

conforms(facebookSubject);
