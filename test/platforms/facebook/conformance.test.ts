import { conforms } from '../conformance/conforms.ts';
import { facebookSubject } from '../conformance/subjects/facebook.ts';

conforms(facebookSubject);
